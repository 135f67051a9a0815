import { describe, expect, test } from 'vitest'
import { deployInOrder } from '../../dev/tools/deploy-in-order.ts'
import { readWorkerConfigs, type WorkerConfig } from '../../dev/world/workers/wrangler-config.ts'

describe('a deploy', () => {
  const configs = readWorkerConfigs()
  const MIGRATE = 'migrate, keeping releases'
  const REMOVE = 'migrate, removing releases'

  /** Runs a deploy in which the step `failing` fails. Returns the steps that were started, and the error. */
  async function runDeploy(workers: WorkerConfig[], failing?: string) {
    const steps: string[] = []
    function start(step: string): void {
      steps.push(step)
      if (step === failing) throw new Error(`${step} failed`)
    }
    const error = await deployInOrder(workers, {
      migrate: async ({ isLast }) => start(isLast ? REMOVE : MIGRATE),
      deploy: ({ env }) => start(env),
    }).catch(({ message }: Error) => message)
    return { steps, error }
  }

  test('migrates and keeps releases first, deploys each Worker once, and removes releases last', async () => {
    const { steps, error } = await runDeploy(configs)
    expect(error).toBeUndefined()
    expect([steps[0], steps.at(-1)]).toEqual([MIGRATE, REMOVE])
    expect(steps.slice(1, -1).toSorted()).toEqual(configs.map(({ env }) => env).toSorted())
  })

  test('deploys a Worker after those that it calls, in whatever order wrangler.toml lists them', async () => {
    const calls = configs.flatMap(({ env, services }) =>
      services.map(({ service }) => ({ env, called: configs.find(({ name }) => name === service)!.env })),
    )
    expect(calls.length).toBeGreaterThan(5)
    for (const workers of [configs, configs.toReversed()]) {
      const { steps } = await runDeploy(workers)
      expect(calls.filter(({ env, called }) => steps.indexOf(called) > steps.indexOf(env))).toEqual([])
    }
  })

  test('deploys sign-in, which signs access tokens, after all Workers that verify them, so none gets an unknown kind', async () => {
    const { steps } = await runDeploy(configs)
    const verifying = configs
      .filter(({ secrets }) => secrets.includes('ACCESS_TOKEN_PUBLIC_KEYS'))
      .map(({ env }) => env)
    expect(verifying.length).toBeGreaterThan(5)
    expect(verifying.toSorted((one, other) => steps.indexOf(one) - steps.indexOf(other)).at(-1)).toBe('sign-in')
  })

  test('stops before it migrates if Workers call each other in a cycle', async () => {
    const [one, other] = configs
    const cycle = [one!, other!].map((config, index) => ({
      ...config,
      services: [{ binding: 'OTHER', service: [other!, one!][index]!.name }],
    }))
    expect(await runDeploy(cycle)).toEqual({
      steps: [],
      error: `wrangler.toml: ${one!.env} calls itself through its services`,
    })
  })

  test('stops at the first step that fails, deploys no further Worker and keeps all releases', async () => {
    const { steps } = await runDeploy(configs)
    for (const [index, failing] of steps.entries()) {
      expect(await runDeploy(configs, failing)).toEqual({
        steps: steps.slice(0, index + 1),
        error: `${failing} failed`,
      })
    }
  })
})
