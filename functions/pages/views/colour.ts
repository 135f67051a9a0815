// Derives the page's colours from an owner's brand colour. Text stays readable on any colour (WCAG 2.2, level AA).

/** Red, green and blue of sRGB, each 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number]

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
/** Used if a paywall names no colour, or one that cannot be parsed. */
const DEFAULT: Colour = [55, 65, 200]

/** The contrast ratio of accents. WCAG requires 4.5; the margin is for text on tinted surfaces. */
const MIN_ACCENT_CONTRAST = 5.5

/** Custom properties for the stylesheet, derived from a brand colour. The CSS never contains the text that the owner configured. */
export function brandStyle(configured: string | undefined): string {
  const brand = (configured && parseColour(configured)) || DEFAULT
  const onBrand = contrast(brand, WHITE) >= 4.5 || contrast(brand, WHITE) >= contrast(brand, BLACK) ? WHITE : BLACK
  const light = `--brand:${css(brand)};--on-brand:${css(onBrand)};--accent:${css(mixUntilReadable(brand, BLACK, WHITE))}`
  const dark = `--accent:${css(mixUntilReadable(brand, WHITE, DARK_SURFACE))}`
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`
}

/** Lighter than every background behind accents in the stylesheet's dark scheme, so accents have more contrast there than here. */
const DARK_SURFACE: Colour = [34, 38, 46]

/** Parses a CSS colour: `#4f46e5`, `#45e`, `rgb(79 70 229)` or `hsl(243 75% 59%)`; null for anything else. */
function parseColour(text: string): Colour | null {
  const hex = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text.trim())
  if (hex) return hexColour(hex[2] ?? hex[1]!.replaceAll(/./g, '$&$&'))
  const match = /^(rgb|hsl)a?\(\s*([\d.]+)(?:deg)?[\s,]+([\d.]+)(%?)[\s,]+([\d.]+)%?\s*\)$/i.exec(text.trim())
  if (!match) return null
  const [, name = '', ...rest] = match
  const first = Number(rest[0])
  const second = Number(rest[1])
  const percent = rest[2]
  const third = Number(rest[3])
  if (![first, second, third].every(Number.isFinite)) return null
  if (name.toLowerCase() === 'hsl') return percent ? hslColour(first, clamp(second, 100), clamp(third, 100)) : null
  return percent ? null : [clamp(first, 255), clamp(second, 255), clamp(third, 255)]
}

const hexColour = (digits: string): Colour =>
  [0, 2, 4].map((start) => Number.parseInt(digits.slice(start, start + 2), 16)) as never

/** By the formula of CSS Color 4, section 7.1. */
function hslColour(hue: number, saturation: number, lightness: number): Colour {
  const s = saturation / 100
  const l = lightness / 100
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}

const clamp = (value: number, max: number) => Math.min(value, max)

/** Mixes a colour with more and more of `end` until it is readable on a background. */
function mixUntilReadable(colour: Colour, end: Colour, background: Colour): Colour {
  for (let ratio = 0; ratio < 1; ratio += 0.05) {
    const mixed = colour.map((channel, index) =>
      Math.round(channel + (end[index]! - channel) * ratio),
    ) as unknown as Colour
    if (contrast(mixed, background) >= MIN_ACCENT_CONTRAST) return mixed
  }
  return end
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance([red, green, blue]: Colour): number {
  const linear = (channel: number) => (channel <= 10.31 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

const css = (colour: Colour) => `rgb(${colour.map(Math.round).join(' ')})`
