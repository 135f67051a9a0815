import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { driverOf } from '../conformance/drivers/drivers.ts'
import { type OwnerBackend, ownerBackend } from './owner-backend.ts'
import type { PartialHistory } from './parts.ts'
import { endLeases } from './passing-time.ts'
import { fileOf } from './paywalls.ts'
import { type Person, personOf } from './person.ts'
import type { Stage } from './stage.ts'
import { type Weather, weatherOf } from './weather.ts'

/** Who plays in a history, and what is around them. */
export interface Cast {
  people: Person[]
  weather: Weather
  backend: OwnerBackend
}

/** Histories that were played so far: each has paywalls of its own. */
let played = 0

/** Puts up an owner with a paywall for each life of a history, and lets its weather begin. */
export async function castOf(stage: Stage, history: PartialHistory): Promise<Cast> {
  played += 1
  const number = played * 1_000
  const file = await fileOf(history, (life) => `${number + life.number}`, `${stage.world.receiver.url}/webhooks`)
  await stage.putUp(file)
  const key = file.keys[0]?.secret ?? ''
  const people = history.lives.map((life, index) =>
    personOf(life, { ...stage.world, file, key, paywall: file.paywalls[index]! }),
  )
  const weather = weatherOf(people.map(placeOf), (paywallId) => endLeases(stage.world, paywallId))
  const backend = ownerBackend(weather)
  stage.faults.length = 0
  stage.sendWebhook = weather.sendWebhook
  stage.world.receiver.answer = backend.answer
  for (const acquiring of ACQUIRING) stage.world[acquiring].onCall = weather.onCall
  return { people, weather, backend }
}

const placeOf = ({ life: { processor, unheard }, world }: Person) => ({
  paywallId: world.paywall.id,
  account: world[processor].accountOf(world.paywall.id),
  opensPage: driverOf(processor).opensPage,
  unheard,
})
