// The images that a paywall's file names. Browsers get them from the paywall's own pages, so that no page tells a third party who
// looks at it.
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { Structure } from './structure.ts'

/** How much of the hash of an address names its image. */
const NAME_LENGTH = 24

/** The names that the pages have for a paywall's images, by their addresses in its file. */
export async function listImages({ settings, layout }: Structure): Promise<Map<string, string>> {
  const blocks = layout.blocks.flatMap((block) => (block.type === 'image' ? [block.src] : []))
  const addresses = [...(settings.logo ? [settings.logo.src] : []), ...blocks]
  return new Map(await Promise.all(addresses.map(async (src) => [src, await imageName(src)] as const)))
}

/** The name of the image at an address. It changes with the address, so a browser may keep what it got. */
const imageName = async (src: string) => (await sha256Hex(src)).slice(0, NAME_LENGTH)
