// Charts as SVG. They are stretched to the width of the page, so their texts are HTML beside them. Colours are classes, because the
// console's policy permits no style attributes.
import type { Child } from 'hono/jsx'

export interface ChartSeries {
  name: string
  color: 'accent' | 'good' | 'bad' | 'wait' | 'quiet'
  /** Drawn below the axis, although its values are positive. */
  isBelow?: boolean | undefined
  /** One for each label. */
  values: bigint[]
}

interface ChartProps {
  /** Unique on the page. */
  id: string
  /** For those who do not see it: what it shows, and its most important values. */
  title: string
  description: string
  labels: string[]
  series: ChartSeries[]
  format: (value: bigint) => string
}

interface DayChartProps extends ChartProps {
  /** The first and the last day. */
  ends: [string, string]
  /** Added to the largest value, unless it is that of a day. */
  of?: string | undefined
}

/** The width of a label in the coordinates of the SVG. Its height is 100. */
const SLOT = 10

/** Bars of what happened on each day, those of several series on top of each other. Negative values are below the axis. */
export function BarChart(chart: DayChartProps) {
  const { labels, series } = chart
  const gap = labels.length > 60 ? 1 : 2
  const scale = createScale(chart)
  return (
    <Frame chart={chart} scale={scale}>
      {labels.map((_, index) => (
        <g>
          <title>{describe(chart, index)}</title>
          <rect class="hover" x={index * SLOT} y={0} width={SLOT} height={100} />
          {stack(series, index).map(({ color, from, to }) => (
            <rect
              class={`fill-${color}`}
              x={index * SLOT + gap / 2}
              y={scale.y(to)}
              width={SLOT - gap}
              height={scale.y(from) - scale.y(to)}
            />
          ))}
        </g>
      ))}
    </Frame>
  )
}

/** A line of a level at the end of each day. */
export function LineChart(chart: DayChartProps) {
  const { labels, series } = chart
  const scale = createScale(chart)
  const middle = (index: number) => index * SLOT + SLOT / 2
  return (
    <Frame chart={chart} scale={scale}>
      {series.map(({ color, values }) => {
        const points = values.map((value, index) => `${middle(index)},${scale.y(Number(value))}`).join(' ')
        const area = `${middle(0)},${scale.y(0)} ${points} ${middle(values.length - 1)},${scale.y(0)}`
        return (
          <>
            <polygon class={`area-${color}`} points={area} />
            <polyline class={`line-${color}`} points={points} vector-effect="non-scaling-stroke" />
          </>
        )
      })}
      {labels.map((_, index) => (
        <rect class="hover" x={index * SLOT} y={0} width={SLOT} height={100}>
          <title>{describe(chart, index)}</title>
        </rect>
      ))}
    </Frame>
  )
}

/** One bar for each row, such as a country, with the values of its series, or their sum. */
export function RowBars({ title, labels, series, format, isSum }: ChartProps & { isSum: boolean }) {
  const scale = createScale({ labels, series })
  const x = (value: number) => ((value - scale.lowest) / (scale.highest - scale.lowest || 1)) * 100
  const text = (index: number) => {
    const values = series.map((each) => each.values[index] ?? 0n)
    return isSum ? format(values.reduce((sum, value) => sum + value, 0n)) : values.map(format).join(' / ')
  }
  return (
    <ul class="bars" aria-label={title}>
      {labels.map((label, index) => (
        <li>
          <span>{label}</span>
          <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <title>{describe({ labels, series, format }, index)}</title>
            {stack(series, index).map(({ color, from, to }) => (
              <rect class={`fill-${color}`} x={x(from)} y={0} width={x(to) - x(from)} height={10} />
            ))}
          </svg>
          <span class="number">{text(index)}</span>
        </li>
      ))}
    </ul>
  )
}

/** The values of a label, each with its name. */
function describe({ labels, series, format }: Pick<ChartProps, 'labels' | 'series' | 'format'>, index: number): string {
  const shown = series.filter(({ values }) => series.length === 1 || values[index] !== 0n)
  return [labels[index], ...shown.map(({ name, values }) => `${name} ${format(values[index] ?? 0n)}`)].join('\n')
}

/** Where the series of a label are drawn: away from the axis, one after the other. */
function stack(series: ChartSeries[], index: number): { color: ChartSeries['color']; from: number; to: number }[] {
  const drawn = series.map(({ color, values, isBelow }) => ({
    color,
    value: Number(values[index]) * (isBelow ? -1 : 1),
  }))
  const ends = { above: 0, below: 0 }
  return drawn.flatMap(({ color, value }) => {
    if (value === 0) return []
    const side = value > 0 ? 'above' : 'below'
    const start = ends[side]
    ends[side] += value
    return [{ color, from: Math.min(start, ends[side]), to: Math.max(start, ends[side]) }]
  })
}

interface Scale {
  highest: number
  lowest: number
  y: (value: number) => number
}

/** From the lowest end of a bar to the highest one. Zero is always shown. */
function createScale({ labels, series }: Pick<ChartProps, 'labels' | 'series'>): Scale {
  const ends = labels.flatMap((_, index) => stack(series, index).flatMap(({ from, to }) => [from, to]))
  const [highest, lowest] = [Math.max(0, ...ends), Math.min(0, ...ends)]
  return { highest, lowest, y: (value) => ((highest - value) / (highest - lowest || 1)) * 100 }
}

function Frame({ chart, scale, children }: { chart: DayChartProps; scale: Scale; children: Child }) {
  const { id, title, description, labels, series, ends, format, of = '' } = chart
  const { highest, lowest, y } = scale
  const width = labels.length * SLOT
  const hasBelow = series.some(({ isBelow }) => isBelow)
  return (
    <>
      <p class="axis" aria-hidden="true">
        {format(BigInt(highest))} {of}
      </p>
      <svg
        class="chart"
        role="img"
        aria-labelledby={`${id}-title ${id}-description`}
        viewBox={`0 0 ${width} 100`}
        preserveAspectRatio="none"
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {children}
        <line class="zero" x1={0} x2={width} y1={y(0)} y2={y(0)} vector-effect="non-scaling-stroke" />
      </svg>
      {lowest < 0 && (
        <p class="axis" aria-hidden="true">
          {format(BigInt(hasBelow ? -lowest : lowest))}
        </p>
      )}
      <p class="axis" aria-hidden="true">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
    </>
  )
}
