import type { OpenRound } from '../load/open-loop.ts'
import { type Spread, spread } from '../statistics.ts'

/** The size and margins of an endpoint's panel, in pixels. */
const PANEL = { width: 420, height: 300, left: 56, right: 28, top: 40, bottom: 44 }

/** The logarithmic scale of latency, in milliseconds. */
const LATENCY = { from: 0.5, to: 2000, ticks: [1, 10, 100, 1000] }

const COLOURS = ['#2563eb', '#d97706']

/** An endpoint under one load, by world. */
export interface LoadStep {
  endpoint: string
  offered: number
  worlds: Record<string, OpenRound[]>
}

/**
 * Draws p50 (dashed) and p99 over the offered load as SVG, with a panel per endpoint and a colour per world. A point is the median
 * of the rounds; the shade around a line spans the best to the worst round. All panels have the same scale.
 */
export function latencyPicture(steps: LoadStep[], here: string): string {
  const endpoints = [...new Set(steps.map(({ endpoint }) => endpoint))]
  const worlds = [...new Set(steps.flatMap(({ worlds: measured }) => Object.keys(measured)))]
  const maxOffered = Math.max(...steps.map(({ offered }) => offered))
  const panels = endpoints.map((endpoint, index) => {
    const ofEndpoint = steps.filter((step) => step.endpoint === endpoint)
    return `<g transform="translate(${index * PANEL.width} 0)">${panel(endpoint, ofEndpoint, worlds, maxOffered)}</g>`
  })
  const legend = worlds.flatMap((world, index) =>
    (['p50', 'p99'] as const).map((name, column) => {
      const x = PANEL.left + (index * 2 + column) * 150
      const y = PANEL.height + 14
      const line = `<path d="M${x} ${y}h24" ${stroke(index, name)}/>`
      return line + text(x + 30, y + 4, `${name}, ${world === here ? 'this tree' : world}`)
    }),
  )
  const width = Math.max(endpoints.length * PANEL.width, 620)
  const height = PANEL.height + 32
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>Latency over offered load</title><rect width="${width}" height="${height}" fill="white"/>`,
    ...panels,
    ...legend,
    '</svg>\n',
  ].join('\n')
}

function panel(endpoint: string, steps: LoadStep[], worlds: string[], maxOffered: number): string {
  const x = (offered: number) => tenths(PANEL.left + (offered / maxOffered) * (PANEL.width - PANEL.left - PANEL.right))
  const lines = worlds.flatMap((world, index) =>
    (['p50', 'p99'] as const).flatMap((name) => {
      const measured = steps.flatMap(({ offered, worlds: { [world]: rounds } }) =>
        rounds ? [{ offered, latency: spread(rounds.map((round) => round[name])) }] : [],
      )
      const at = (which: keyof Spread) =>
        measured.map(({ offered, latency }) => [x(offered), y(latency[which])] as const)
      const shade = `<path d="M${path([...at('max'), ...at('min').toReversed()])}Z" fill="${colour(index)}" opacity="0.12"/>`
      const line = `<path d="M${path(at('median'))}" ${stroke(index, name)}/>`
      const points = at('median').map(
        ([left, top]) => `<circle cx="${left}" cy="${top}" r="2.5" fill="${colour(index)}"/>`,
      )
      return [shade, line, ...points]
    }),
  )
  const foot = PANEL.height - PANEL.bottom
  return [
    text(PANEL.left, PANEL.top - 16, endpoint, 'font-weight="bold"'),
    ...LATENCY.ticks.map((tick) => rule(tick)),
    ...[0, 0.25, 0.5, 0.75, 1].map((share) =>
      text(x(maxOffered * share), foot + 16, String(Math.round(maxOffered * share)), 'text-anchor="middle"'),
    ),
    `<path d="M${PANEL.left} ${foot}H${PANEL.width - PANEL.right}" stroke="#999"/>`,
    text(
      (PANEL.left + PANEL.width - PANEL.right) / 2,
      foot + 32,
      'offered load, requests a second',
      'text-anchor="middle"',
    ),
    ...lines,
  ].join('\n')
}

/** The y coordinate of a latency, clamped to the scale. */
function y(milliseconds: number): number {
  const within = Math.min(Math.max(milliseconds, LATENCY.from), LATENCY.to)
  const share = Math.log(within / LATENCY.from) / Math.log(LATENCY.to / LATENCY.from)
  return tenths(PANEL.height - PANEL.bottom - share * (PANEL.height - PANEL.top - PANEL.bottom))
}

const tenths = (pixels: number) => Math.round(pixels * 10) / 10

const path = (points: (readonly [number, number])[]) => points.map((point) => point.join(' ')).join('L')

const colour = (world: number) => COLOURS[world] ?? 'black'

function rule(tick: number): string {
  const line = `<path d="M${PANEL.left} ${y(tick)}H${PANEL.width - PANEL.right}" stroke="#ddd"/>`
  return line + text(PANEL.left - 6, y(tick) + 4, `${tick} ms`, 'text-anchor="end"')
}

const stroke = (world: number, name: 'p50' | 'p99') =>
  `fill="none" stroke-width="2" stroke="${colour(world)}"${name === 'p50' ? ' stroke-dasharray="5 4"' : ''}`

const text = (x: number, at: number, words: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${at.toFixed(1)}" fill="#333" ${more}>${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
