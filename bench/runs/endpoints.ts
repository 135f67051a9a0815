// npm run bench: the speed of every endpoint.
// 1. Start the worlds and the bare Workers, and set the same scene in each world.
// 2. Measure all endpoints in turns: requests per second, latency, and the database's share.
// 3. Call the database directly with the endpoints' statements, including those that cannot be repeated, in turns.
// 4. Print both as tables and return them for the result file.

import type { PrintLine } from '../../cli/command.ts'
import { openBare } from '../contenders/bare.ts'
import { HERE, openContenders } from '../contenders/contenders.ts'
import { ENDPOINTS } from '../load/endpoints.ts'
import { setScene } from '../load/scene.ts'
import { filterByName, type Options } from '../options.ts'
import { endpointTable, statementTable } from '../report/endpoint-tables.ts'
import { captureStatements } from '../statements/capture.ts'
import { measureStatements } from '../statements/measure.ts'
import { ONE_SHOT_FUNCTIONS, oneShotStatements } from '../statements/one-shot-functions.ts'
import { measureEndpoints, type Stage } from './measure-endpoints.ts'

export async function benchEndpoints(options: Options, printLine: PrintLine) {
  const all = filterByName([...ENDPOINTS, ...ONE_SHOT_FUNCTIONS], options.only)
  const endpoints = ENDPOINTS.filter((each) => all.includes(each))
  const functions = ONE_SHOT_FUNCTIONS.filter((each) => all.includes(each))
  await using contenders = await openContenders(options)
  const stages: Stage[] = []
  for (const world of contenders.worlds) stages.push({ world, scene: await setScene(world) })
  await using bare = await openBare(contenders.worlds[0]!)

  const measured = await measureEndpoints(stages, bare, endpoints, options)
  printLine(endpointTable(measured, HERE, options.against))

  const captured = await Promise.all(
    stages.map(async (stage) => ({
      name: stage.world.name,
      databaseUrl: stage.world.databaseUrl,
      statements: [
        ...(await captureStatements(stage, endpoints)),
        ...(await oneShotStatements(functions, stage.world.databaseUrl, stage.scene)),
      ],
    })),
  )
  const statements = await measureStatements(captured, options)
  printLine(`\n${statementTable(statements, HERE, options.against)}`)
  return { commits: contenders.commits, result: { ...measured, statements } }
}
