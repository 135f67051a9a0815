-- Records that an account's processor asks for a pause of `hold` seconds (`Retry-After`), where nothing else records that: in reply to a
-- call without which we do not know what an event concerns, so that the event cannot be kept, or to an action that remains to be done for
-- a stored purchase. Locks the account's hold.
create function record_hold(paywall_id text, acquiring text, hold double precision) returns jsonb
language plpgsql security definer as $$
begin
  perform hold_account(paywall_id, acquiring, paywall_now(paywall_id) + make_interval(secs => hold));
  return null;
end $$;
