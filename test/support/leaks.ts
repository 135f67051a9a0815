import type { TestWorld } from './world.ts'

/** What nobody may log: an API key or an access token of ours, a processor's or a webhook's secret, an e-mail address. */
const SECRET =
  /pk_(test|live)_\w+|polar_(oat|whs)_\w+|eyJ[\w-]{10,}|[sr]k_(test|live)_\w+|whsec_\w+|[\w.+-]+(@|%40)[\w-]+\.\w+/i

/** Log lines that hold a secret of any of these kinds, or one of the texts given. None, as a rule. */
export function leaksIn({ logs, secrets }: TestWorld, texts: string[] = []): string[] {
  const forbidden = [...Object.values(secrets), ...texts]
  return logs
    .map(({ message }) => message)
    .filter((line) => SECRET.test(line) || forbidden.some((text) => line.includes(text)))
}
