-- Refunds a mail that was counted and could not be sent, in what its address may have: nothing came into that mailbox. What the
-- network and the paywall may have stays consumed, lest calls for addresses that take no mail are without a limit.
create function refund_mail(paywall_id text, email text, network text, is_solved boolean) returns void
language plpgsql security definer as $$
begin
  perform refund(l.name, l.key, 1) from mail_limits(paywall_id, email, network, is_solved) l
  where l.name in ('address mail', 'solved mail');
end $$;
