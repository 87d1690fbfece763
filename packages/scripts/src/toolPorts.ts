import { DerivedStore, tools } from "@tapeline/core"
import * as market from "@tapeline/core/market"
import { Context, Effect, Exit } from "effect"

/** The services that tools may need, by name. The services are the market ports and the store of derived data. */
const ports: Readonly<Record<string, { readonly key: string }>> = Object.fromEntries(
  Object.entries<unknown>({ ...market, DerivedStore })
    .flatMap(([name, value]) => Context.isKey(value) ? [[name, value] as const] : [])
    .sort(([a], [b]) => a < b ? -1 : 1)
)

type ToolDependencies = (typeof tools)[number] extends { readonly make: Effect.Effect<unknown, never, infer R> } ? R
  : never

/** Returns whether a tool can be created if only the ports in `names` exist. */
const canBeCreated = ({ make }: (typeof tools)[number], names: ReadonlyArray<string>) => {
  // Creating a tool looks up its ports, but does not call them, so the ports can be empty objects.
  const services = new Map(names.map((name) => [ports[name]!.key, {}]))
  // The cast is needed, because the type requires all ports, but the context contains only the named ports.
  const context = Context.makeUnsafe<ToolDependencies>(services)
  // The cast is needed, because `tools` is a union of tools that need different ports.
  const creation = make as Effect.Effect<unknown, never, ToolDependencies>
  return Effect.map(Effect.exit(Effect.provideContext(creation, context)), Exit.isSuccess)
}

/** The ports that each tool needs for its creation, by tool name. */
export const findToolPorts: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>> = Effect.gen(function*() {
  const allPorts = Object.keys(ports)
  const portsByTool = new Map<string, ReadonlyArray<string>>()
  for (const tool of tools) {
    const { name } = tool.specification
    if (!(yield* canBeCreated(tool, allPorts))) {
      return yield* Effect.die(new Error(`${name} needs a port that toolPorts.ts does not list`))
    }
    portsByTool.set(
      name,
      yield* Effect.filter(
        allPorts,
        (port) => Effect.map(canBeCreated(tool, allPorts.filter((one) => one !== port)), (creation) => !creation)
      )
    )
  }
  return portsByTool
})
