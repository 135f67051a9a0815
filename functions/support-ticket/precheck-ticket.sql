-- Whether a ticket of this sender would be opened now: `room`, or the refusal. Called before images are stored; locks nothing: open_ticket
-- decides. `wait` is the number of seconds until a used-up quota or rate limit has room.
create function precheck_ticket(
  paywall_id text, host text, token_user_id uuid default null, token_audience text default null, token_session_id uuid default null,
  guest_email text default null, network text default null
) returns jsonb language plpgsql stable security definer as $$
declare
  sender record;
  wait integer;
begin
  sender := find_sender(paywall_id, host, token_user_id, token_audience, token_session_id, guest_email);
  if sender.refusal is not null then return verdict(sender.refusal); end if;
  wait := sender_wait(paywall_id, sender.quota);
  if wait is not null then return verdict('over_quota') || jsonb_build_object('wait', wait); end if;
  if sender.is_anonymous_sender then
    wait := guest_ticket_wait(network);
    if wait is not null then return verdict('over_guest_tickets') || jsonb_build_object('wait', wait); end if;
  end if;
  if not sender.has_bought then wait := images_wait(paywall_id, sender.is_anonymous_sender, network); end if;
  if wait is not null then return verdict('over_image_limit') || jsonb_build_object('wait', wait); end if;
  return verdict('room');
end $$;
