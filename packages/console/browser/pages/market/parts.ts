import type { Ask } from "../../asking/ask.ts"
import {
  derivativesAsk,
  fundingAsk,
  liquidationsAsk,
  positioningAsk,
  scoreAsk,
  scoreHistoryAsk,
  volatilityAsk
} from "./asks.ts"
import type { Part } from "./opened.ts"

/** The calls of each part of a coin's page. */
export const asksOf = (part: Part, coin: string): ReadonlyArray<Ask> => {
  switch (part) {
    case "funding":
      return [fundingAsk(coin), positioningAsk(coin)]
    case "positioning":
      return [derivativesAsk(coin), positioningAsk(coin)]
    case "liquidations":
      return [liquidationsAsk(coin)]
    case "score":
      return [scoreAsk(coin), scoreHistoryAsk(coin)]
    case "volatility":
      return [volatilityAsk(coin)]
  }
}
