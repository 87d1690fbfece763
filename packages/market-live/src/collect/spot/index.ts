export { spotCollectors, type SpotDays } from "./spotCollectors.ts"
export { binanceSpotVenue, bybitSpotVenue, okxSpotVenue, type SpotVenue } from "./SpotVenue.ts"
