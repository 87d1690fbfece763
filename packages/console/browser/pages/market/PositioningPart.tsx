import { useMemo } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { Change } from "../../widgets/Change.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures } from "../../widgets/parts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { type Derivatives, derivativesAsk, type Positioning, positioningAsk } from "./asks.ts"
import { partWords } from "./partWords.ts"
import { pointsOf } from "./series.ts"

const Now = ({ data }: { readonly data: Derivatives }) => {
  const says = useWords(partWords)
  const { compactUsd, percent, plain } = useFormats()
  return (
    <>
      <Figures>
        <Figure
          name={says.openInterest}
          more={
            <>
              <Change pct={data.oi_change_24h_coin_pct} /> {says.inCoins}
            </>
          }
        >
          {data.open_interest_usd === null ? "–" : compactUsd(data.open_interest_usd)}
        </Figure>
        <Figure name={says.takers} more={says.takersMore}>
          {data.taker_buy_ratio === null ? "–" : percent(data.taker_buy_ratio * 100, 1)}
        </Figure>
        <Figure name={says.longShort} more={says.longShortMore}>
          {data.long_short_ratio === null ? "–" : plain(data.long_short_ratio)}
        </Figure>
        <Figure name={says.fundingZ} more={says.fundingZMore(data.funding_z_n)}>
          {data.funding_z === null ? "–" : plain(data.funding_z, 1)}
        </Figure>
      </Figures>
      <Notes of={data} />
    </>
  )
}

const History = ({ data }: { readonly data: Positioning }) => {
  const says = useWords(partWords)
  const { compactUsd } = useFormats()
  const [open, ratio] = useMemo(() => [
    pointsOf(data.points, ({ open_interest_usd }) => open_interest_usd),
    pointsOf(data.points, ({ long_short_ratio }) => long_short_ratio)
  ], [data])
  return (
    <>
      <LinePlot label={says.openInterestHistory} points={open} write={compactUsd} />
      <LinePlot label={says.longShort} points={ratio} />
    </>
  )
}

/** The open interest of a perpetual, and its long and short shares. */
export const PositioningPart = ({ coin }: { readonly coin: string }) => {
  const now = usePaid(derivativesAsk(coin))
  const history = usePaid(positioningAsk(coin))
  return (
    <>
      <Told of={now}>{(data) => <Now data={data} />}</Told>
      <Told of={history}>{(data) => <History data={data} />}</Told>
    </>
  )
}
