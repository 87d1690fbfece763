import type { ToolSpecification } from "../engine/tool/specification.ts"
import backtestHandlers, { backtestSpecifications } from "./backtest/index.ts"
import chartHandlers, { chartSpecifications } from "./chart/index.ts"
import codeHandlers, { codeSpecifications } from "./code/index.ts"
import cryptoHandlers, { cryptoSpecifications } from "./crypto/index.ts"
import derivativesHandlers, { derivativesSpecifications } from "./derivatives/index.ts"
import journalHandlers, { journalSpecifications } from "./journal/index.ts"
import koreaHandlers, { koreaSpecifications } from "./korea/index.ts"
import macroHandlers, { macroSpecifications } from "./macro/index.ts"
import newsHandlers, { newsSpecifications } from "./news/index.ts"
import onchainHandlers, { onchainSpecifications } from "./onchain/index.ts"
import optionsHandlers, { optionsSpecifications } from "./options/index.ts"
import signalsHandlers, { signalsSpecifications } from "./signals/index.ts"
import socialHandlers, { socialSpecifications } from "./social/index.ts"
import tasksHandlers, { tasksSpecifications } from "./tasks/index.ts"
import usHandlers, { usSpecifications } from "./us/index.ts"

export * from "./backtest/index.ts"
export * from "./chart/index.ts"
export * from "./code/index.ts"
export * from "./crypto/index.ts"
export * from "./derivatives/index.ts"
export * from "./journal/index.ts"
export * from "./korea/index.ts"
export * from "./macro/index.ts"
export * from "./news/index.ts"
export * from "./onchain/index.ts"
export * from "./options/index.ts"
export * from "./signals/index.ts"
export * from "./social/index.ts"
export * from "./tasks/index.ts"
export * from "./us/index.ts"

/**
 * The specifications of all tools, in the order of the catalogue. Browsers can import the specifications, because they
 * contain no handlers.
 */
export const specifications = [
  ...cryptoSpecifications,
  ...derivativesSpecifications,
  ...signalsSpecifications,
  ...optionsSpecifications,
  ...onchainSpecifications,
  ...socialSpecifications,
  ...newsSpecifications,
  ...koreaSpecifications,
  ...usSpecifications,
  ...macroSpecifications,
  ...backtestSpecifications,
  ...codeSpecifications,
  ...chartSpecifications,
  ...journalSpecifications,
  ...tasksSpecifications
] as const satisfies ReadonlyArray<ToolSpecification>

/**
 * Returns the handlers of all tools by tool name. The export is a function, because a bundler can remove an unused
 * function.
 */
export default () => ({
  ...cryptoHandlers,
  ...derivativesHandlers,
  ...signalsHandlers,
  ...optionsHandlers,
  ...onchainHandlers,
  ...socialHandlers,
  ...newsHandlers,
  ...koreaHandlers,
  ...usHandlers,
  ...macroHandlers,
  ...backtestHandlers,
  ...codeHandlers,
  ...chartHandlers,
  ...journalHandlers,
  ...tasksHandlers
})
