import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

// Most of the time goes to waiting for servers and databases, so that two workers help on two cores as well. Each project
// counts its own workers, and hears of a number for all by this variable alone.
process.env["VITEST_MAX_WORKERS"] ??= String(Math.max(2, availableParallelism() - 1))

export default defineConfig({ test: { projects: ["packages/*", "examples/*"] } })
