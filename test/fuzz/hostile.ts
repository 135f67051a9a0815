/** A list with at least one entry. */
type NonEmpty = readonly [string, ...string[]]

/** Values that nobody should send, as JSON text. */
export const VALUES: NonEmpty = [
  '"\\u0000"',
  '"a\\u0000b@example.com"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"😀"',
  '"\\u202e\\ufeff\\u200b"',
  '""',
  '"   "',
  '"0"',
  '"null"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  `"'; drop table users; --"`,
  '"{{7*7}}%s%n"',
  '"../../../etc/passwd"',
  '"javascript:alert(1)"',
  '"http://[::1"',
  '"https://user:password@owner.example/\\\\evil"',
  '"00000000-0000-0000-0000-000000000000"',
  '"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"',
  `"${'x'.repeat(5_000)}"`,
  `"${'é'.repeat(20_000)}"`,
  `"${'a'.repeat(300)}@example.com"`,
  '0',
  '-0',
  '-1',
  '0.1',
  '1',
  '1.0000000000000001',
  '1e308',
  '1e999',
  '-1e999',
  '5e-324',
  '730',
  '731',
  '1000000000000',
  '1000000000001',
  '2147483648',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775808',
  `1${'0'.repeat(400)}`,
  'true',
  'false',
  'null',
  '[]',
  '[[]]',
  '["a@example.com"]',
  '{}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"toString":1,"valueOf":null,"then":{}}',
  '{"":"","a":1,"a":2}',
  nested('[', ']', 1_000),
  nested('{"a":', '}', 600),
  nested('[', ']', 25_000),
  nested('{"a":', '}', 9_000),
]

/** Names of fields to add to a body. Some have a meaning in JavaScript. */
export const FIELD_NAMES: NonEmpty = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'then',
  'user.id',
]

/** Whole bodies that no endpoint can read. */
export const BODIES: NonEmpty = [
  '',
  ' ',
  '{',
  '}',
  '[',
  'null',
  'true',
  '0',
  '-0',
  '""',
  '[]',
  '{}',
  '[{}]',
  '{} {}',
  "{'a':1}",
  '{"a":1,}',
  'NaN',
  'undefined',
  '\u0000',
  '\ufeff{}',
  '{"__proto__":null}',
  'email=a%40example.com&priceId=1',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  nested('[', ']', 32_000),
  nested('{"a":', '}', 10_000),
  '['.repeat(60_000),
  `"${'x'.repeat(65_533)}"`,
  `"${'x'.repeat(65_534)}"`,
  `"${'x'.repeat(65_535)}"`,
]

/** Too large for any JSON endpoint. Sent rarely, because it is slow. */
export const OVERSIZED_BODY = `{"email":"${'x'.repeat(1024 * 1024)}"}`

/** Bytes that are not UTF-8, to be put into a body. */
export const BROKEN_UTF8 = [
  Buffer.from([0xff]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
] as const

export const CONTENT_TYPES: NonEmpty = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'x'.repeat(300)}`,
  'multipart/form-data; boundary="b',
  'application/octet-stream',
  ';;;',
  '',
]

export const METHODS: NonEmpty = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'PURGE',
  'LOCK',
]

/** Segments to append to a path, or to put in place of a paywall's id. */
export const SEGMENTS: NonEmpty = [
  '%00',
  '%ff',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%20',
  '-1',
  '0',
  '1e3',
  '0x10',
  '99999999999999999999999999',
  '__proto__',
  'constructor',
  "'or'1'='1",
  '\\',
  ';',
  ':id',
  '*',
  'x'.repeat(2_000),
  'ünï',
]

export const QUERIES: NonEmpty = [
  'email=%00',
  'email=%ff',
  'email=%ed%a0%80',
  'email=%',
  'email',
  'email=',
  'email=a&email=b',
  'email[]=a',
  'email[a]=b',
  'user_id=%00',
  "user_id=1'%20or%20true--",
  'user_id=1&user_id=2',
  'user_id=00000000-0000-0000-0000-000000000000',
  '__proto__=1',
  '__proto__[a]=1',
  'constructor=1&email=%F0%9F%98%80',
  '&&&=&=&',
  '?',
  '+',
  `email=${'x'.repeat(3_000)}`,
]

export const IDEMPOTENCY_KEYS: NonEmpty = [
  '',
  'x',
  '00000000-0000-0000-0000-000000000000',
  '"00000000-0000-4000-8000-000000000000"',
  '"00000000-0000-4000-8000-000000000000',
  '{00000000-0000-4000-8000-000000000000}',
  '00000000-0000-4000-8000-000000000000, 00000000-0000-4000-8000-000000000001',
  'é'.repeat(36),
  'x'.repeat(4_000),
]

/** Headers that have no meaning here, or that make no sense. */
export const HEADERS: readonly [[string, string], ...[string, string][]] = [
  ['x-client-ip', '8.8.8.8'],
  ['x-client-ip', '::ffff:8.8.8.8'],
  ['x-client-ip', '1.2.3'],
  ['x-client-ip', 'é, ::1%25lo'],
  ['x-forwarded-for', '127.0.0.1'],
  ['x-request-id', 'x'.repeat(3_000)],
  ['x-paywall-id', '__proto__'],
  ['x-sdk-version', 'é'.repeat(1_000)],
  ['if-none-match', '*'],
  ['if-none-match', 'W/"'],
  ['accept', 'text/html'],
  ['accept-encoding', 'br;q=nine'],
  ['content-encoding', 'gzip'],
  ['range', 'bytes=0-0'],
  ['origin', 'null'],
  ['cookie', `a=${'b'.repeat(3_000)}`],
  ['x-http-method-override', 'DELETE'],
  ['stripe-signature', 't=1,v1=00'],
  ['stripe-signature', `t=${'9'.repeat(300)},v1=é`],
  ['host', 'evil.example'],
]

/** Values for X-Api-Key, or to follow Bearer. */
export const CREDENTIALS: NonEmpty = [
  '',
  ' ',
  'x',
  '..',
  'a.b.c',
  'é',
  'null',
  'undefined',
  'x'.repeat(6_000),
  'eyJhbGciOiJub25lIn0.e30.',
]

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}
