-- Where a buyer returns to, and at which host the way back is. `success_url` and `error_url` are what the call says, or else, on a
-- paywall with a domain of its own, what its settings say, or else its site there. A buyer who did not pay is better off on
-- the owner's page for those who did than on the front page of the domain, which comes last.
--
-- A user may be anybody, so where a user's call returns to must be the paywall's: an origin of `settings.redirect_origins`, its own
-- domain, the pages in its settings, or its site at the service's own origin. With that list any other target is refused:
-- `foreign_success_url`, `foreign_error_url`. Without it, a foreign target is kept and marked: the way back asks the buyer before
-- it leads there. It is at the service's own origin then, because the owner's domain must not be what sends people there; if that is not
-- known, it is refused, too. `success_origin` and `error_origin` are those that the call chooses; null where that is the site.
create function redirect_targets(
  paywall_id text, host text, by_owner boolean, success_origin text, error_origin text, service_origin text,
  inout success_url text, inout error_url text, inout return_origin text,
  out success_is_foreign boolean, out error_is_foreign boolean, out refusal text
) language plpgsql stable as $$
declare
  domain text;
  settings jsonb;
begin
  success_is_foreign := false;
  error_is_foreign := false;
  if by_owner and success_url is not null and error_url is not null then return; end if;
  select p.domain, p.settings into domain, settings from paywalls p where p.id = paywall_id;
  if domain is not null then
    success_url := coalesce(success_url, settings ->> 'success_redirect_url', 'https://' || domain || '/thanks');
    error_url := coalesce(
      error_url, settings ->> 'error_redirect_url', settings ->> 'success_redirect_url', 'https://' || domain || '/');
  end if;
  if by_owner then return; end if;

  success_is_foreign := not is_own_origin(success_origin, domain, settings);
  error_is_foreign := not is_own_origin(error_origin, domain, settings);
  if not (success_is_foreign or error_is_foreign) then return; end if;
  if settings -> 'redirect_origins' is not null or domain = host and service_origin is null then
    refusal := case when success_is_foreign then 'foreign_success_url' else 'foreign_error_url' end;
    return;
  end if;
  if domain = host then return_origin := service_origin; end if;
end $$;

-- Whether an origin is one that the paywall itself names: in `redirect_origins`, as its domain, or as that of a page of its settings.
-- So is one that is null: then the call chooses none.
create function is_own_origin(origin text, domain text, settings jsonb) returns boolean language plpgsql stable as $$
begin
  return origin is null or coalesce(
    host_of(origin) = domain
      or settings -> 'redirect_origins' ? origin
      or origin = origin_of(settings ->> 'success_redirect_url')
      or origin = origin_of(settings ->> 'error_redirect_url'),
    false); -- what is not named is null, and equals nothing
end $$;

-- The origin of an address that an owner wrote, as a browser names it. Of one with a name in it, or not in ASCII, it is none that a
-- browser would name: an owner can list that.
create function origin_of(url text) returns text language sql immutable as $$
  select regexp_replace(regexp_replace(lower(substring(url from '^https?://[^/?#\\]+')), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
$$;

-- The verdict on an order that lacks something or returns to where it may not; null if nothing is wrong with it. The Worker knows
-- which of the other parameters it lacks.
create function refused_order(
  success_url text, error_url text, refusal text, lacks_key boolean, lacks_others boolean
) returns jsonb language plpgsql stable as $$
begin
  if success_url is null or error_url is null or lacks_others then
    return verdict('missing_parameters') || jsonb_build_object(
      'has_success_url', success_url is not null, 'has_error_url', error_url is not null);
  end if;
  if refusal is not null then return verdict(refusal); end if;
  return case when lacks_key then verdict('key_required') end;
end $$;
