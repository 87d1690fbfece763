import { useMemo } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { Change } from "../../widgets/Change.tsx"
import { DataTable } from "../../widgets/DataTable.tsx"
import { Notes } from "../../widgets/Notes.tsx"
import { Figure, Figures } from "../../widgets/parts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { fundingAsk, type FundingByVenue, type Positioning, positioningAsk } from "./asks.ts"
import { BarPlot } from "./BarPlot.tsx"
import styles from "./Market.module.css"
import { partWords } from "./partWords.ts"
import { pointsOf, rate8h, signedBars } from "./series.ts"

const Venues = ({ data }: { readonly data: FundingByVenue }) => {
  const says = useWords(partWords)
  const { clock, compactUsd } = useFormats()
  const { long_venue, short_venue, spread_annualised_pct, venues, weighted_annualised_pct } = data
  return (
    <>
      <Figures>
        <Figure name={says.fundingMean} more={says.ofYear}>
          <Change pct={weighted_annualised_pct} isArrow={false} />
        </Figure>
        {long_venue !== null && short_venue !== null && (
          <Figure name={says.spread} more={says.spreadOf(long_venue, short_venue)}>
            <Change pct={spread_annualised_pct} isArrow={false} />
          </Figure>
        )}
      </Figures>
      <div className={styles["tabled"]}>
        <DataTable
          label={says.byVenue}
          rows={venues}
          rowId={({ venue }) => venue}
          columns={[
            {
              id: "venue",
              title: says.venue,
              isHead: true,
              order: ({ venue }) => venue,
              cell: ({ venue }) => <span className={styles["whole"]}>{venue}</span>
            },
            {
              id: "rate",
              title: says.rate8h,
              isNumber: true,
              order: ({ rate_8h_pct }) => rate_8h_pct,
              cell: ({ rate_8h_pct }) => <Change pct={rate_8h_pct} digits={4} isArrow={false} />
            },
            {
              id: "year",
              title: says.annualised,
              isNumber: true,
              order: ({ annualised_pct }) => annualised_pct,
              cell: ({ annualised_pct }) => <Change pct={annualised_pct} isArrow={false} />
            },
            {
              id: "next",
              title: says.next,
              isNumber: true,
              isMinor: true,
              order: ({ next_time }) => next_time,
              cell: ({ next_time }) => next_time === null ? says.always : clock(next_time)
            },
            {
              id: "open",
              title: says.openInterest,
              isNumber: true,
              isMinor: true,
              order: ({ open_interest_usd }) => open_interest_usd,
              cell: ({ open_interest_usd }) => open_interest_usd === null ? "–" : compactUsd(open_interest_usd)
            }
          ]}
        />
      </div>
      <Notes of={data} />
    </>
  )
}

const History = ({ data }: { readonly data: Positioning }) => {
  const says = useWords(partWords)
  const { percent } = useFormats()
  const bars = useMemo(() => signedBars(pointsOf(data.points, rate8h)), [data])
  return (
    <BarPlot
      label={says.fundingHistory}
      bars={bars}
      upName={says.longsPay}
      downName={says.shortsPay}
      write={(value) => percent(value, 4)}
    />
  )
}

/** The funding rates of a perpetual, by venue and over a week. */
export const FundingPart = ({ coin }: { readonly coin: string }) => {
  const venues = usePaid(fundingAsk(coin))
  const history = usePaid(positioningAsk(coin))
  return (
    <>
      <Told of={venues}>{(data) => <Venues data={data} />}</Told>
      <Told of={history}>{(data) => <History data={data} />}</Told>
    </>
  )
}
