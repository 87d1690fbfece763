import { layerClusterRunner } from "@tapeline/cluster"
import {
  type Database,
  generationHalts,
  layerMigrations,
  layerPglite,
  layerPostgres,
  PgStores
} from "@tapeline/postgres"
import { generationRunnerContract } from "@tapeline/testing/contracts/generationRunner"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { describe } from "vitest"
import { makePglite, migratedPostgres } from "./support/testDatabases.ts"

const layerStores = <E>(database: Layer.Layer<Database, E>) =>
  PgStores.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(database))

generationRunnerContract(
  "a cluster of one process, on PGlite",
  layerStores(Layer.unwrap(Effect.map(
    makePglite(),
    ({ environment }) => layerPglite({ dataDir: join(environment["TAPELINE_DATA_DIR"]!, "db") })
  ))),
  layerClusterRunner({ nodes: "one" })
)

describe("the generation runner", () =>
  generationRunnerContract(
    "a cluster of many processes, on PostgreSQL",
    layerStores(Layer.unwrap(Effect.map(
      migratedPostgres,
      ({ environment }) => layerPostgres({ url: environment["DATABASE_URL"]! })
    ))),
    Layer.unwrap(Effect.map(generationHalts, (halts) => layerClusterRunner({ nodes: "many", halts })))
  ))
