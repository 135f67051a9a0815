/** Why a command did not do its work, in sentences for the person who ran it. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly sentences: string[]

  constructor(sentences: string[], options?: ErrorOptions) {
    super(sentences.join('\n'), options)
    this.sentences = sentences
  }
}
