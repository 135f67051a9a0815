/** The accepted image types and their signatures: `null` is any byte. */
const SIGNATURES = {
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/webp': [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50],
} as const

export type ImageType = keyof typeof SIGNATURES

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const satisfies ImageType[]

/** Length of the longest signature. */
export const SIGNATURE_BYTES = 12

/** Detects the type of an image by its first bytes, whatever was declared; null if it is not an accepted type. */
export function detectImageType(head: Uint8Array): ImageType | null {
  return IMAGE_TYPES.find((type) => SIGNATURES[type].every((byte, at) => byte === null || head[at] === byte)) ?? null
}
