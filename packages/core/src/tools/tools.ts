import { implementAll } from "../tool/implement.ts"
import cryptoHandlers, { cryptoSpecifications } from "./crypto/index.ts"
import koreaHandlers, { koreaSpecifications } from "./korea/index.ts"
import signalsHandlers, { signalsSpecifications } from "./signals/index.ts"
import usHandlers, { usSpecifications } from "./us/index.ts"

/** The tools of each area with their handlers, for an engine that has the ports of some areas only. */
export const cryptoTools = implementAll(cryptoSpecifications, cryptoHandlers)
export const signalsTools = implementAll(signalsSpecifications, signalsHandlers)
export const koreaTools = implementAll(koreaSpecifications, koreaHandlers)
export const usTools = implementAll(usSpecifications, usHandlers)

/** Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. */
export const tools = [...cryptoTools, ...signalsTools, ...koreaTools, ...usTools] as const
