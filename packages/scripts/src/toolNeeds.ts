import { DerivedStore, tools } from "@tapeline/core"
import * as market from "@tapeline/core/market"
import { Context, Effect, Exit } from "effect"

/** The dependencies that tools may have, by name: the market's ports, and derived data. */
const ports: Readonly<Record<string, { readonly key: string }>> = Object.fromEntries(
  Object.entries<unknown>({ ...market, DerivedStore })
    .flatMap(([name, value]) => Context.isKey(value) ? [[name, value] as const] : [])
    .sort(([a], [b]) => a < b ? -1 : 1)
)

type Needs = (typeof tools)[number] extends { readonly make: Effect.Effect<unknown, never, infer R> } ? R : never

/**
 * Whether a tool can be created with these ports. Handlers resolve ports when they are created, without calling them.
 */
const isMade = ({ make }: (typeof tools)[number], names: ReadonlyArray<string>) => {
  const services = new Map(names.map((name) => [ports[name]!.key, {}]))
  // The set of ports varies, whereas the type states that all are present.
  const context = Context.makeUnsafe<Needs>(services)
  // A union of tools, each of which needs some of these ports.
  const made = make as Effect.Effect<unknown, never, Needs>
  return Effect.map(Effect.exit(Effect.provideContext(made, context)), Exit.isSuccess)
}

/** The ports that each tool needs, by the tool's name: it cannot be created without them. */
export const toolNeeds: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>> = Effect.gen(function*() {
  const all = Object.keys(ports)
  const needs = new Map<string, ReadonlyArray<string>>()
  for (const tool of tools) {
    const { name } = tool.specification
    if (!(yield* isMade(tool, all))) return yield* Effect.die(new Error(`${name} needs a port that is not listed here`))
    needs.set(
      name,
      yield* Effect.filter(all, (port) => Effect.map(isMade(tool, all.filter((one) => one !== port)), (made) => !made))
    )
  }
  return needs
})
