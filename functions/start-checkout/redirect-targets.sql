-- Where the buyer is redirected after the checkout, and at which host the return URL is. `success_url` and `error_url` are those of the
-- call, or else, on a paywall with its own domain, those of its settings, or else its site there. A buyer who did not pay is sent to the
-- owner's page for buyers who did rather than to the front page of the domain, which is the last resort.
--
-- A user's call must not choose arbitrary targets (open redirect): an allowed target is at an origin of `settings.redirect_origins` or
-- `settings.embed_origins`, at the paywall's own domain, at a page of its settings, or on its site at the service's own origin. If
-- `redirect_origins` is set, any other target is refused: `foreign_success_url`, `foreign_error_url`. Otherwise a foreign target is stored
-- and marked, and the return URL asks the buyer to confirm. It is then at the service's own origin, because the owner's domain must not
-- serve such redirects; if that origin is not known, the target is refused, too. `success_origin` and `error_origin` are those that the
-- call chooses; null where that is the site.
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

-- Whether the paywall itself names an origin: in `redirect_origins` or `embed_origins`, as its domain, or by a page of its settings. Null
-- counts as own: the call chooses none.
create function is_own_origin(origin text, domain text, settings jsonb) returns boolean language plpgsql stable as $$
begin
  return origin is null or coalesce(
    host_from_origin(origin) = domain
      or settings -> 'redirect_origins' ? origin
      or settings -> 'embed_origins' ? origin
      or origin = origin_from_url(settings ->> 'success_redirect_url')
      or origin = origin_from_url(settings ->> 'error_redirect_url'),
    false); -- a comparison with an absent setting is null
end $$;

-- The origin of a URL that an owner wrote, in the form of a browser's `Origin`. A URL with a user name, or with a non-ASCII host, gives an
-- origin that matches none; the owner can list its real one.
create function origin_from_url(url text) returns text language sql immutable as $$
  select regexp_replace(regexp_replace(lower(substring(url from '^https?://[^/?#\\]+')), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
$$;

-- The verdict on an order with missing parameters or a refused redirect; null if it has no error. Whether the other parameters are missing
-- is the Worker's knowledge.
create function order_refusal(
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
