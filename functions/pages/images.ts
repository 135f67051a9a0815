// The images named in a paywall's file. The paywall's own origin serves them, so that no page reveals its visitors to a third party.
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { Structure } from './structure.ts'

/** How many hex digits of its URL's hash name an image. */
const NAME_LENGTH = 24

/** Maps the image URLs in a paywall's file to the names under which the pages serve them. */
export async function listImages({ settings, layout }: Structure): Promise<Map<string, string>> {
  const blocks = layout.blocks.flatMap((block) => (block.type === 'image' ? [block.src] : []))
  const addresses = [...(settings.logo ? [settings.logo.src] : []), ...blocks]
  return new Map(await Promise.all(addresses.map(async (src) => [src, await imageName(src)] as const)))
}

/** The name changes with the URL, so browsers may cache the image. */
const imageName = async (src: string) => (await sha256Hex(src)).slice(0, NAME_LENGTH)
