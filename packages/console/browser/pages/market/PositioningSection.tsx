import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { Change } from "../../widgets/Change.tsx"
import { Figure, Figures } from "../../widgets/layout.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { ResultNotesView } from "../../widgets/ResultNotesView.tsx"
import { type Derivatives, derivativesQuery, type Positioning, positioningQuery } from "./queries.ts"
import { sectionTexts } from "./sectionTexts.ts"
import { toPoints } from "./series.ts"

const CurrentPositioning = ({ data }: { readonly data: Derivatives }) => {
  const texts = useTexts(sectionTexts)
  const { compactUsd, percent, decimal } = useFormats()
  return (
    <>
      <Figures>
        <Figure
          name={texts.openInterest}
          detail={
            <>
              <Change pct={data.oi_change_24h_coin_pct} /> {texts.inCoins}
            </>
          }
        >
          {data.open_interest_usd === null ? "–" : compactUsd(data.open_interest_usd)}
        </Figure>
        <Figure name={texts.takers} detail={texts.takersDetail}>
          {data.taker_buy_ratio === null ? "–" : percent(data.taker_buy_ratio * 100, 1)}
        </Figure>
        <Figure name={texts.longShort} detail={texts.longShortDetail}>
          {data.long_short_ratio === null ? "–" : decimal(data.long_short_ratio)}
        </Figure>
        <Figure name={texts.fundingZ} detail={texts.fundingZDetail(data.funding_z_n)}>
          {data.funding_z === null ? "–" : decimal(data.funding_z, 1)}
        </Figure>
      </Figures>
      <ResultNotesView result={data} />
    </>
  )
}

const PositioningHistory = ({ data }: { readonly data: Positioning }) => {
  const texts = useTexts(sectionTexts)
  const { compactUsd } = useFormats()
  const [open, ratio] = useMemo(() => [
    toPoints(data.points, ({ open_interest_usd }) => open_interest_usd),
    toPoints(data.points, ({ long_short_ratio }) => long_short_ratio)
  ], [data])
  return (
    <>
      <LinePlot label={texts.openInterestHistory} points={open} format={compactUsd} />
      <LinePlot label={texts.longShort} points={ratio} />
    </>
  )
}

export const PositioningSection = ({ coin }: { readonly coin: string }) => {
  const now = useToolQuery(derivativesQuery(coin))
  const history = useToolQuery(positioningQuery(coin))
  return (
    <>
      <RequestView request={now}>{(data) => <CurrentPositioning data={data} />}</RequestView>
      <RequestView request={history}>{(data) => <PositioningHistory data={data} />}</RequestView>
    </>
  )
}
