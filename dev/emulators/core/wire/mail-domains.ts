/**
 * Top-level domains without mail, as far as an emulator can know without DNS: the reserved names of RFC 2606, names for internal
 * networks, and misspelled top-level domains. example.com, .net and .org exist, with a null MX (RFC 7505).
 */
const NO_TOP_LEVEL = [
  'test',
  'example',
  'invalid',
  'localhost',
  'local',
  'localdomain',
  'internal',
  'lan',
  'home',
  'corp',
  'con',
  'cmo',
]
const NULL_MX = ['example.com', 'example.net', 'example.org']

const emailDomain = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** Whether the domain of an address exists. */
export const hasDomain = (address: string) => !NO_TOP_LEVEL.includes(emailDomain(address).split('.').at(-1) ?? '')

/** Whether mail can be delivered to an address. */
export const takesMail = (address: string) =>
  hasDomain(address) &&
  !NULL_MX.some((name) => name === emailDomain(address) || emailDomain(address).endsWith(`.${name}`))
