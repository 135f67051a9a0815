-- The sender of a ticket: the token's user, or a guest, whose address is not verified. Returns `refusal`, null if the sender is admitted;
-- the address of the user or the guest; and `quota`, the key by which its tickets are counted: a user's id, or the address that a guest
-- gave. A guest who gives a user's address therefore does not use up that user's quota. `has_bought`: the user has bought something here.
-- `is_anonymous_sender`: a guest, or an anonymous user who has not bought anything: anybody can be any number of those, so their network is
-- limited, too. Locks nothing.
create function find_sender(
  paywall_id text, host text, token_user_id uuid, token_audience text, token_session_id uuid, guest_email text,
  out refusal text, out owner_id uuid, out email text, out quota text,
  out has_bought boolean, out is_anonymous_sender boolean
) language plpgsql stable as $$
begin
  quota := coalesce('user:' || token_user_id, 'email:' || guest_email);
  has_bought := exists (
    select from purchases p where p.paywall_id = find_sender.paywall_id and p.user_id = token_user_id);
  is_anonymous_sender := not has_bought and not exists (select from users u where u.id = token_user_id and not is_anonymous(u));
  if token_user_id is null then
    email := guest_email;
    select p.owner_id into owner_id from find_paywall(paywall_id, host) p;
    if owner_id is null then refusal := 'unknown_paywall'; end if;
    return;
  end if;
  select g.refusal, g.owner_id into refusal, owner_id
  from open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host) g;
  select u.email into email from users u where u.id = token_user_id;
end $$;

-- The times of a quota's row that still count at `present`, in order.
create function counted_tickets(opened timestamptz[], present timestamptz) returns timestamptz[] language plpgsql stable as $$
begin
  return array(select at from unnest(opened) at where at > present - quota_window() order by at);
end $$;

-- Seconds from `present` until there is room in a quota whose row has these times; null if there is room.
create function quota_wait(opened timestamptz[], present timestamptz) returns integer language plpgsql stable as $$
declare
  quota constant integer := 2; -- for a user and for an address (contract section 8)
  counted constant timestamptz[] := counted_tickets(opened, present);
begin
  if cardinality(counted) < quota then return null; end if;
  return ceil(extract(epoch from counted[cardinality(counted) - quota + 1] + quota_window() - present));
end $$;

-- How long a sender has to wait; null if its quota has room. A missing row has room.
create function sender_wait(paywall_id text, who text) returns integer language plpgsql stable as $$
begin
  return (
    select quota_wait(q.opened, paywall_now(q.paywall_id)) from ticket_quotas q
    where q.paywall_id = sender_wait.paywall_id and q.who = sender_wait.who);
end $$;
