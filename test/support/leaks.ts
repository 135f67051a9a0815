import type { TestWorld } from './world.ts'

/** Secrets that must never be logged: an API key or access token of ours, a secret of a processor or a webhook, an e-mail address. */
const SECRET =
  /pk_(test|live)_\w+|polar_(oat|whs)_\w+|eyJ[\w-]{10,}|[sr]k_(test|live)_\w+|whsec_\w+|[\w.+-]+(@|%40)[\w-]+\.\w+/i

/** Log lines that contain a secret of these kinds, or one of the given texts. Should be empty. */
export function leaksIn({ logs, secrets }: TestWorld, texts: string[] = []): string[] {
  const forbidden = [...Object.values(secrets), ...texts]
  return logs
    .map(({ message }) => message)
    .filter((line) => SECRET.test(line) || forbidden.some((text) => line.includes(text)))
}
