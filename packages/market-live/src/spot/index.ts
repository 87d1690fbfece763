export { type SpotBackfillDays, spotCollectors } from "./spotCollectors.ts"
export { binanceSpotVenue, bybitSpotVenue, okxSpotVenue, type SpotVenue } from "./SpotVenue.ts"
