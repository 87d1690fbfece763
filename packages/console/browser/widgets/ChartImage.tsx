import type { Chart } from "@tapeline/client"
import { useRequest } from "../requests/useRequest.ts"
import styles from "./ChartImage.module.css"
import { RequestView } from "./RequestView.tsx"

const toDataUrl = ({ bytes, content_type }: Chart): Promise<{ readonly dataUrl: string }> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve({ dataUrl: typeof reader.result === "string" ? reader.result : "" }))
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The picture could not be read")))
    reader.readAsDataURL(new Blob([bytes], { type: content_type }))
  })

/** A chart image of the account, loaded with the client because the image URL needs the account's credentials. */
export const ChartImage = ({ alt, chart }: { readonly alt: string; readonly chart: string }) => {
  const image = useRequest(
    ["chart", chart],
    async (client, options) => toDataUrl(await client.chart(chart, options)),
    { freshMs: Infinity }
  )
  return (
    <RequestView request={image} placeholder={<div className={styles["room"]} />}>
      {({ dataUrl }) => <img className={styles["chart"]} src={dataUrl} alt={alt} />}
    </RequestView>
  )
}
