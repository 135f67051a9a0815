import { describe, expect, test } from 'vitest'
import { deployInOrder } from '../../dev/tools/deploy-in-order.ts'
import { readWorkerConfigs, type WorkerConfig } from '../../dev/world/workers/wrangler-config.ts'

describe('a deploy', () => {
  const configs = readWorkerConfigs()
  const MIGRATE = 'migrate, keeping releases'
  const REMOVE = 'migrate, removing releases'

  /** The steps that are begun, and how it ends, where the step of that name fails. */
  async function createSteps(workers: WorkerConfig[], failing?: string) {
    const steps: string[] = []
    function begin(step: string): void {
      steps.push(step)
      if (step === failing) throw new Error(`${step} failed`)
    }
    const error = await deployInOrder(workers, {
      migrate: async ({ isLast }) => begin(isLast ? REMOVE : MIGRATE),
      deploy: ({ env }) => begin(env),
    }).catch(({ message }: Error) => message)
    return { steps, error }
  }

  test('migrates and keeps releases first, deploys each Worker once, and removes releases last', async () => {
    const { steps, error } = await createSteps(configs)
    expect(error).toBeUndefined()
    expect([steps[0], steps.at(-1)]).toEqual([MIGRATE, REMOVE])
    expect(steps.slice(1, -1).toSorted()).toEqual(configs.map(({ env }) => env).toSorted())
  })

  test('comes to a Worker after those that it calls, in whichever order wrangler.toml has them', async () => {
    const calls = configs.flatMap(({ env, services }) =>
      services.map(({ service }) => ({ env, called: configs.find(({ name }) => name === service)!.env })),
    )
    expect(calls.length).toBeGreaterThan(5)
    for (const workers of [configs, configs.toReversed()]) {
      const { steps } = await createSteps(workers)
      expect(calls.filter(({ env, called }) => steps.indexOf(called) > steps.indexOf(env))).toEqual([])
    }
  })

  test('comes to sign-in, which signs access tokens, after all others that take them: none meets a kind it does not know', async () => {
    const { steps } = await createSteps(configs)
    const taking = configs.filter(({ secrets }) => secrets.includes('ACCESS_TOKEN_PUBLIC_KEYS')).map(({ env }) => env)
    expect(taking.length).toBeGreaterThan(5)
    expect(taking.toSorted((one, other) => steps.indexOf(one) - steps.indexOf(other)).at(-1)).toBe('sign-in')
  })

  test('of Workers that call each other in a circle stops before it migrates', async () => {
    const [one, other] = configs
    const circle = [one!, other!].map((config, index) => ({
      ...config,
      services: [{ binding: 'OTHER', service: [other!, one!][index]!.name }],
    }))
    expect(await createSteps(circle)).toEqual({
      steps: [],
      error: `wrangler.toml: ${one!.env} calls itself through its services`,
    })
  })

  test('ends at the first step that fails: no Worker after it, and all releases stay', async () => {
    const { steps } = await createSteps(configs)
    for (const [index, failing] of steps.entries()) {
      expect(await createSteps(configs, failing)).toEqual({
        steps: steps.slice(0, index + 1),
        error: `${failing} failed`,
      })
    }
  })
})
