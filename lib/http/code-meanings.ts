/**
 * What each code of a schema means: what is wrong with the body or the query, and what is allowed there. It is the `message` of
 * such a refusal, and stands in the API's document.
 */
export const CODE_MEANINGS: Record<string, string> = {
  invalid_body: 'the body is not a JSON object',
  identity_required:
    'the user is not named, or not by a text of the right length. Send an e-mail address, a user id, your own id of the user or ' +
    'several of them, and `paywallId` if the body has that field',

  'Email is required':
    '`email` is missing or blank. Where your own id of the user is taken, that will do instead of it',
  'Invalid email format':
    '`email` is no e-mail address of at most 254 characters. All of them must be ASCII: letters that look alike are others',
  'Invalid externalId': '`externalId` is not a text of at most 255 characters',
  'Invalid external_id': '`external_id` is not a text of at most 255 characters',
  'Invalid userMeta':
    '`userMeta` is not an object, or has something that cannot be stored as it was sent: an integer beyond 2^53, or a field ' +
    'named `__proto__`',
  'userMeta too large': '`userMeta` is larger than 4 KB',

  'Invalid priceId format': '`priceId` is not a text of at most 100 characters',
  'Invalid successUrl format': '`successUrl` is not an http or https address of at most 2,048 characters',
  'Invalid errorUrl format': '`errorUrl` is not an http or https address of at most 2,048 characters',
  'Invalid shopUrl format': '`shopUrl` is not a text of at most 2,048 characters',
  'Invalid trial_days': '`trial_days` is not a whole number from 0 to 730',
  'Invalid ignoreActivePurchase': '`ignoreActivePurchase` is neither true nor false',
  'Invalid country': '`country` is not a country code of ISO 3166-1 alpha-2, such as US, and not XX either',
  'Invalid localCurrency': '`localCurrency` is not a currency code of three letters',

  'subscriptionId is required': '`subscriptionId` is missing or blank. It is the `id` of a purchase',
  'cancellationReason is required':
    '`cancellationReason` is missing or blank. Any text of at most 1,000 characters will do',
  'cancellationReason too long': '`cancellationReason` is longer than 1,000 characters',

  invalid_op: '`op` is neither `credit` nor `debit`',
  invalid_amount: '`amount` is not a whole number from 1 to 10^12',
  type_required: '`type` is missing or blank. It must be one of `tokenization_queries[].type` of the paywall',
  'Invalid paywall_id': '`paywall_id` is not a text',
  'Invalid user_id': '`user_id` is not a text',
  'Invalid tokens': '`tokens` is not a whole number from 1 to 10^12',
  'Invalid token_type': '`token_type` is not a text',

  invalid_payload: '`subject` or `content` is missing or not a text',
  subject_length: '`subject` is shorter than 3 characters or longer than 200',
  content_length: '`content` is empty or longer than 5,000 characters',
  email_required: '`customer_email` is missing or no e-mail address. A guest must give one',

  unsupported_grant_type: '`grant_type` is neither `code`, `anonymous` nor `refresh_token`',
  code_required: '`code` is missing or blank',
  invalid_code: '`code` is neither six digits nor 18',
  'Invalid restore': '`restore` is neither true nor false',
  'Invalid attempt': '`attempt` is not a UUID',
  request_required: '`request` is missing. It is in the answer of `sign-in/code`',
  refresh_token_required: '`refresh_token` is missing or blank',
  'Invalid name': '`name` is not a text of at most 200 characters',
}
