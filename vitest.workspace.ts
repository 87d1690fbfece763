import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: ["packages/*", "examples/*"],
    // Most of the time goes to waiting for servers and databases, so that two workers help on two cores as well.
    maxWorkers: Math.max(2, availableParallelism() - 1)
  }
})
