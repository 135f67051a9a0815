import * as z from 'zod'
import { PROCESSOR_NAMES } from './processor-name.ts'

/** `PROCESSOR_API_BASES`: origins to call instead of the processors' own, by processor name; `''` overrides none. */
export const ApiBases = z
  .string()
  .transform((text): unknown => (text === '' ? {} : JSON.parse(text)))
  .pipe(z.partialRecord(z.enum(PROCESSOR_NAMES), z.url()))
