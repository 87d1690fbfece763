import { Toolbox, tools, type ToolSpecification } from "@tapeline/core"
import type { Tool } from "@tapeline/core/engine"
import type { MarketPorts } from "@tapeline/core/market"
import type { Layer } from "effect"

/** Returns a toolbox with the named tools, all of which must need only market ports. */
export const toolsOf = (specifications: ReadonlyArray<ToolSpecification>): Layer.Layer<Toolbox, never, MarketPorts> => {
  const names = new Set(specifications.map(({ name }) => name))
  return Toolbox.layer(
    // The type cast is safe, because callers name only tools that need no other service.
    tools.filter(({ specification }) => names.has(specification.name)) as ReadonlyArray<
      Tool<ToolSpecification, MarketPorts>
    >
  )
}
