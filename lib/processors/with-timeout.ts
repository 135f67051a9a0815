import { ProcessorError } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'

/**
 * What a processor answers within so many milliseconds; an answer that takes longer counts as none. The call itself goes on.
 *
 * @throws ProcessorError
 */
export function withTimeout<Answer>(
  acquiring: ProcessorName,
  answer: Promise<Answer>,
  milliseconds: number,
): Promise<Answer> {
  const tooLate = () => {
    throw new ProcessorError(acquiring, 'unavailable', 'no answer in time', { answered: false })
  }
  return Promise.race([answer, scheduler.wait(Math.max(milliseconds, 0)).then(tooLate)])
}
