import { ProcessorError } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'

/**
 * Limits how long to wait for a processor, in milliseconds. The call itself is not aborted.
 *
 * @throws ProcessorError
 */
export function withTimeout<Answer>(
  acquiring: ProcessorName,
  answer: Promise<Answer>,
  milliseconds: number,
): Promise<Answer> {
  const tooLate = () => {
    throw new ProcessorError(acquiring, 'unavailable', 'timed out', { answered: false })
  }
  return Promise.race([answer, scheduler.wait(Math.max(milliseconds, 0)).then(tooLate)])
}
