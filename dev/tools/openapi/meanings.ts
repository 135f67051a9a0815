import { TICKET_FILE_MEGABYTES, TICKET_FILES_LIMIT } from '../../../lib/http/input-limits.ts'

/** The descriptions of refusals, by their names in the endpoints' error tables. */
export const MEANINGS: Record<string, string> = {
  active_purchase:
    'the user has an active subscription, or has already bought this one-time price (the payment may still be pending). Send `ignoreActivePurchase: true` to sell anyway',
  already_cancelled: 'the subscription is already cancelled or has ended',
  anonymous: "the token's user is anonymous. This requires a user with an e-mail address or an external id",
  bad_token:
    'the token is malformed, expired, not signed by us, or for another owner or mode. `message` says so if it is an owner key',
  cancelled:
    "the subscription's end is scheduled, and its processor, named in `acquiring`, changes no plan then. The cancellation has to be undone first",
  captcha_failed:
    'the captcha was not solved, or its token is older than 5 minutes or was used before. Show the widget again',
  captcha_misconfigured:
    "Turnstile rejects the paywall's secret key, or we cannot decrypt it. The owner has to correct it",
  captcha_unavailable: 'Turnstile did not respond. Try again with another token after the time in `Retry-After`',
  database_unavailable:
    'our database is unreachable, overloaded or did not respond. Repeat the same call after the time in `Retry-After`. This is safe ' +
    'even if the first call was carried out and only its response was lost, unless stated otherwise here',
  declined: 'the charge was declined. The plan is unchanged: the buyer has to update the card in the portal first',
  failed: 'an error on our side. Include `X-Request-Id` when you contact support',
  forged: 'the signature is missing, wrong or too old',
  in_progress:
    'an earlier call with this `Idempotency-Key` is still running. Repeat yours after the time in `Retry-After`',
  fixed_trial: "the processor's plans define the trials: `message` says which are available",
  foreign_error_url:
    'with a Bearer token: the origin of `errorUrl` is neither in `settings.redirect_origins` nor the domain of the paywall ' +
    'nor the origin of a page in its settings. `message` says so',
  foreign_success_url: 'the same for `successUrl`',
  full_meta:
    "the part of the user's `meta` that was written with owner keys, or the part that was written by the user, would exceed 64 KB",
  insufficient: 'the user has fewer tokens than that. Nothing was debited',
  invalid_file:
    `a file is larger than ${TICKET_FILE_MEGABYTES} MB, ` +
    'is in another field than `files`, is not an image of an accepted type, or does not match its declared type',
  invalid_form: 'the multipart form is malformed',
  invalid_grant: 'the code or the refresh token is wrong, was used before, has expired, or had too many attempts',
  invalid_json:
    'the body is not JSON in UTF-8, is truncated, or contains something that cannot be stored: a NUL character, an unpaired ' +
    'surrogate, or a number that is too large',
  invalid_key_format: 'the `Idempotency-Key` is not a UUID',
  invalid_query: 'the query contains a NUL character',
  key_required: 'a live paywall requires an `Idempotency-Key`',
  key_reused: 'the `Idempotency-Key` was used before, for a different request. Choose a new one',
  malformed: "the event is signed, but does not have the format of the processor's events",
  method_not_allowed: 'the path does not support this method. `Allow` lists the supported methods',
  live_key: 'the API key is a live key, but the paywall is a test paywall. `message` says so',
  mismatched_identity: 'the e-mail address, the user id and the external id belong to different users',
  missing_email: 'the processor requires an e-mail address, and the user has none',
  missing_parameters: 'required fields are missing. If the error does not name exactly those fields, `message` does',
  missing_price: 'with a Bearer token: `priceId` is missing. `message` names all missing fields',
  missing_targets:
    '`successUrl` or `errorUrl` is missing, and the paywall has no page of its own to use instead. `message` names the missing ones',
  no_address: '`customer_email` is missing or not an e-mail address. Guests must provide one',
  no_balance: 'the user has no balance on the paywall',
  no_credential: 'no API key or token was sent',
  no_portal: 'the processor of the paywall has no customer portal',
  no_subscription: 'the user has no active subscription',
  not_found: 'a path parameter has an unsupported value',
  not_member: 'you have such a user, but it has never used this paywall',
  not_owner: 'the API key belongs to another owner than the paywall',
  other_currency: "the price is not sold in the subscription's currency",
  other_external_id:
    'the user with this e-mail address has another external id. External ids never change by themselves: check which one is right',
  over_guest_tickets:
    'guests in this network have reached the daily limit of tickets. The limit refills gradually, and does not apply to users',
  over_image_limit:
    'the 24-hour limit of images is reached, for guests on the paywall or for users without a purchase in this network. ' +
    'A ticket without images is accepted',
  over_quota: 'the user, or guests with this address, already opened two tickets in the last 24 hours',
  payload_too_large: 'the body is too large',
  paywall_id_mismatch: '`X-Paywall-Id` does not match the paywall of the call',
  plan_changing: 'a change of this subscription is under way. Repeat the call after the time in `Retry-After`',
  processor_misconfigured:
    "the processor rejects the paywall's credentials, they lack a permission, or we cannot decrypt them. The owner has to correct them",
  processor_rejected: 'the processor refused the request',
  processor_unavailable: 'the processor did not respond. Try again after the time in `Retry-After`',
  quote_expired:
    'the quote has expired or was used, the subscription has changed since, or another amount would be charged. Nothing has ' +
    'changed: request another preview',
  rate_limited: 'too many calls. Wait for the time in `Retry-After`',
  same_price: 'the subscription has this price already',
  several_subscriptions:
    'the user has several subscriptions on the paywall: send the one to change as `subscriptionId`',
  storage_unavailable:
    'our file storage is unreachable, so no ticket was opened. Try again after the time in `Retry-After`',
  test_key: 'the API key is a test key, but the paywall is live. `message` says so',
  too_many_changes:
    'the user has made 20 previews and changes of its plan in ten minutes. Wait for the time in `Retry-After`',
  too_many_files: `a ticket accepts at most ${TICKET_FILES_LIMIT} files`,
  too_many_mails:
    'too many codes were requested in the last hour: for this address from your network or in total, from your network, or on the ' +
    'paywall. Codes already mailed stay valid. Wait for the time in `Retry-After`, or show the captcha that `captcha` names',
  too_many_pages:
    'the user already opened ten pages in ten minutes, or too many were opened from its network or on the paywall. Wait for the ' +
    'time in `Retry-After`',
  too_many_users:
    'too many anonymous users were created from your network. Wait for the time in `Retry-After`, or sign in with a code',
  too_much: 'the balance would become 2^53 or more',
  unchangeable:
    'the subscription is past due, paused or about to be replaced, so its plan cannot be changed. `status` says which',
  unknown_checkout: 'there is no such checkout',
  unknown_identity: 'you have no such user, or the identifiers sent belong to different users',
  unknown_key: 'the API key is wrong or revoked',
  unknown_paywall: 'there is no such paywall, or it is not served on this domain',
  unknown_price: 'the paywall does not sell this price, or no longer does. Read bootstrap again',
  unknown_processor: 'there is no such processor',
  unknown_subscription: 'the user has no such subscription on the paywall',
  unknown_type: 'the paywall has no such type of tokens, or the user has no balance of it',
  unschedulable:
    "the subscription's processor, named in `acquiring`, changes plans at once only, and `when` is `period_end`, which is the default " +
    'for a lower price',
  unsupported:
    "the subscription's processor, named in `acquiring`, cannot change plans through its API, or is not the paywall's any more",
  unknown_user:
    'the token is for another owner or mode, or its user was erased, or merged into another one, as happens to an anonymous user ' +
    'who signs in as another user',
}
