import { artifactStoreContract } from "@tapeline/testing/contracts/artifactStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sqliteArtifactStore } from "../src/sqliteArtifactStore.ts"

artifactStoreContract("one SQLite file", sqliteArtifactStore(":memory:"), (ms) => Effect.asVoid(TestClock.adjust(ms)))
