import type { ToolQuery } from "../../requests/toolQuery.ts"
import type { Section } from "./openSections.ts"
import {
  derivativesQuery,
  fundingQuery,
  liquidationsQuery,
  positioningQuery,
  scoreHistoryQuery,
  scoreQuery,
  volatilityQuery
} from "./queries.ts"

export const sectionQueries = (section: Section, coin: string): ReadonlyArray<ToolQuery> => {
  switch (section) {
    case "funding":
      return [fundingQuery(coin), positioningQuery(coin)]
    case "positioning":
      return [derivativesQuery(coin), positioningQuery(coin)]
    case "liquidations":
      return [liquidationsQuery(coin)]
    case "score":
      return [scoreQuery(coin), scoreHistoryQuery(coin)]
    case "volatility":
      return [volatilityQuery(coin)]
  }
}
