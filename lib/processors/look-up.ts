import { ProcessorError } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'

/**
 * Calls the processor to find out what an event concerns, unless it has asked for a pause: see `ProcessorMethods.readEvent`.
 *
 * @throws ProcessorError
 */
export async function lookUp<Reply>(
  acquiring: ProcessorName,
  hold: number | null,
  call: () => Promise<Reply>,
): Promise<Reply> {
  if (hold === null) return call()
  const message = 'not called before its Retry-After'
  throw new ProcessorError(acquiring, 'unavailable', message, { answered: false, retryAfter: hold })
}
