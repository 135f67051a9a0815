/**
 * The meaning of each code of a schema: what is wrong with the body or the query, and what is allowed. It is the `message` of the error,
 * and part of the API's document.
 */
export const CODE_MEANINGS: Record<string, string> = {
  invalid_body: 'the body must be a JSON object',
  identity_required:
    'identify the user by `email`, a user id or an external id, as text of valid length, and send `paywallId` if ' +
    'the body has that field',

  'Email is required': '`email` is required. If the endpoint accepts `externalId`, that will do instead',
  'Invalid email format': '`email` must be an e-mail address of at most 254 characters, all of them ASCII',
  'Invalid externalId': '`externalId` must be a string of at most 255 characters',
  'Invalid external_id': '`external_id` must be a string of at most 255 characters',
  'Invalid userMeta': '`userMeta` must be an object without integers beyond 2^53 and without a field named `__proto__`',
  'userMeta too large': '`userMeta` must not exceed 4 KB',

  'Invalid priceId format': '`priceId` must be a string of at most 100 characters',
  'Invalid successUrl format': '`successUrl` must be an http or https URL of at most 2,048 characters',
  'Invalid errorUrl format': '`errorUrl` must be an http or https URL of at most 2,048 characters',
  'Invalid shopUrl format': '`shopUrl` must be a string of at most 2,048 characters',
  'Invalid trial_days': '`trial_days` must be an integer from 0 to 730',
  'Invalid ignoreActivePurchase': '`ignoreActivePurchase` must be true or false',
  'Invalid country': '`country` must be a country code of ISO 3166-1 alpha-2, such as US, or XX',
  'Invalid localCurrency': '`localCurrency` must be a currency code of three letters',

  'subscriptionId is required': '`subscriptionId` is required: the `id` of a purchase',
  'cancellationReason is required': '`cancellationReason` is required: text of at most 1,000 characters',
  'cancellationReason too long': '`cancellationReason` must not exceed 1,000 characters',

  invalid_op: '`op` must be `credit` or `debit`',
  invalid_amount: '`amount` must be an integer from 1 to 10^12',
  type_required: "`type` is required: one of the paywall's `tokenization_queries[].type`",
  'Invalid paywall_id': '`paywall_id` must be a string',
  'Invalid user_id': '`user_id` must be a string',
  'Invalid tokens': '`tokens` must be an integer from 1 to 10^12',
  'Invalid token_type': '`token_type` must be a string',

  invalid_payload: '`subject` and `content` are required and must be strings',
  subject_length: '`subject` must have 3 to 200 characters',
  content_length: '`content` must have 1 to 5,000 characters',
  email_required: '`customer_email` is required for guests and must be an e-mail address',

  unsupported_grant_type: '`grant_type` must be `code`, `anonymous` or `refresh_token`',
  code_required: '`code` is required',
  invalid_code: '`code` must have 8 digits',
  'Invalid restore': '`restore` must be true or false',
  'Invalid captcha_token': '`captcha_token` must be a string of at most 2,048 characters',
  challenge_required: '`challenge` is required: it is in the response of `sign-in/code`',
  refresh_token_required: '`refresh_token` is required',
  'Invalid name': '`name` must be a string of at most 200 characters',
}
