import { type ConsoleFile, readConsole } from "@tapeline/console"
import { Effect } from "effect"
import type { Settings } from "./settings.ts"

/** Returns the files of the console, or undefined if the console is disabled or was not built. */
export const readConsoleFiles = (
  { hasConsole }: Pick<Settings, "hasConsole">
): Effect.Effect<ReadonlyArray<ConsoleFile> | undefined> =>
  hasConsole ? Effect.promise(() => readConsole()) : Effect.succeed(undefined)
