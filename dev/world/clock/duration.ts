const UNIT_SECONDS = { m: 60, h: 3600, d: 24 * 3600, w: 7 * 24 * 3600 }
const LONGEST_DAYS = 3_660

/** The seconds of a duration such as `90m`, `12h`, `31d` or `2w`; null if the text is invalid, zero or longer than ten years. */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,7})([mhdw])$/.exec(text) ?? []
  const seconds = Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS]
  return seconds > 0 && seconds <= LONGEST_DAYS * UNIT_SECONDS.d ? seconds : null
}
