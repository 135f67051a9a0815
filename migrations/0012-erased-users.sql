-- When `paywall users erase` took the person out of a user. Without it such a user looks like an anonymous one, whose purchases are
-- known by the address that its processor tells.
alter table users add column erased_at timestamptz;

-- When the address that an anonymous buyer gave the processor was erased: the next fetch must not bring it back.
alter table purchases add column buyer_erased_at timestamptz;
