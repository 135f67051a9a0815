/** What home did, for the person who asked for it. */
export interface Journal {
  /** The sentences of late, the latest first. */
  readonly said: { at: Date; sentence: string; isRefusal: boolean }[]
  say(sentence: string): void
  /** Says why something was not done. */
  refuse(sentence: string): void
}

const KEPT = 20

export function createJournal(): Journal {
  const said: Journal['said'] = []
  const add = (sentence: string, isRefusal: boolean) => {
    said.unshift({ at: new Date(), sentence, isRefusal })
    said.splice(KEPT)
  }
  return {
    said,
    say: (sentence) => add(sentence, false),
    refuse: (sentence) => add(sentence, true),
  }
}
