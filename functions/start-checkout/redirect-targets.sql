-- Where to return to: what the call says, else, on a paywall with a domain of its own, what its settings say. A buyer who did
-- not pay is better off on the page for those who did than on the front page of the domain, which comes last.
create function redirect_targets(paywall_id text, inout success_url text, inout error_url text) language plpgsql stable as $$
declare
  domain text;
  settings jsonb;
begin
  if success_url is not null and error_url is not null then return; end if;
  select p.domain, p.settings into domain, settings from paywalls p where p.id = paywall_id;
  if domain is null then return; end if;
  success_url := coalesce(success_url, settings ->> 'success_redirect_url');
  error_url := coalesce(
    error_url, settings ->> 'error_redirect_url', settings ->> 'success_redirect_url', 'https://' || domain || '/');
end $$;

-- The verdict on an order that lacks something; null if it lacks nothing. The Worker knows which of the other parameters it is.
create function missing_parameters(success_url text, error_url text, lacks_others boolean) returns jsonb language plpgsql stable as $$
begin
  if success_url is not null and error_url is not null and not lacks_others then return null; end if;
  return verdict('missing_parameters') || jsonb_build_object(
    'has_success_url', success_url is not null, 'has_error_url', error_url is not null);
end $$;
