-- Refunds a counted mail that could not be sent to the limits of its address, since the mailbox got nothing. The limits of the network and
-- the paywall stay consumed: otherwise calls for addresses that accept no mail would be unlimited.
create function refund_mail(paywall_id text, email text, network text, captcha_solved boolean) returns void
language plpgsql security definer as $$
begin
  perform refund(l.name, l.key, 1) from mail_limits(paywall_id, email, network, captcha_solved) l
  where l.name in ('address mail', 'solved mail');
end $$;
