import { DefaultReporter, type TestCase, type TestModule, type TestSuite } from "vitest/node"

/** Returns the declared requirement of a skipped test or of its suite, or undefined if no requirement is declared. */
const declaredNeed = (test: TestCase | TestSuite | TestModule): string | undefined =>
  test.meta().requirement ?? (test.type === "module" ? undefined : declaredNeed(test.parent))

/**
 * Counts the skipped tests by their declared requirement. The key `undefined` counts the skipped tests that only `npm
 * run test:full` runs.
 */
export const countSkipped = (modules: ReadonlyArray<TestModule>): ReadonlyMap<string | undefined, number> => {
  const counts = new Map<string | undefined, number>()
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const need = declaredNeed(test)
      counts.set(need, (counts.get(need) ?? 0) + 1)
    }
  }
  return counts
}

export class TestReporter extends DefaultReporter {
  constructor() {
    super({ summary: process.stdout.isTTY })
  }

  override printTestModule(module: TestModule): void {
    if (module.state() === "failed") super.printTestModule(module)
  }

  override printTestCase(...[state, test]: Parameters<DefaultReporter["printTestCase"]>): void {
    if (test.result().state === "failed") super.printTestCase(state, test)
  }

  override reportTestSummary(...args: Parameters<DefaultReporter["reportTestSummary"]>): void {
    super.reportTestSummary(...args)
    this.log(`TAPELINE_TEST_SEED=${process.env["TAPELINE_TEST_SEED"]} repeats the draws of this run.`)
    const modules = this.ctx.state.getTestModules()
    for (const [need, count] of countSkipped(modules)) {
      const [tests, verb] = count === 1 ? ["test", "needs"] : ["tests", "need"]
      this.log(
        need === undefined
          ? process.env["TAPELINE_TEST_FULL"] === "1"
            ? `${count} ${tests} ${count === 1 ? "is" : "are"} waived by their suites.`
            : `${count} skipped ${tests} ${verb} npm run test:full.`
          : `${count} skipped ${tests} ${verb} ${need}.`
      )
    }
  }
}
