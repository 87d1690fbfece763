import { Context } from "effect"

/**
 * Where the service is reached that runs a call, without a slash at its end (`https://api.example.com`): what stands
 * before the addresses that results tell. Who takes calls from outside provides it with each; left alone it is empty,
 * and addresses are paths.
 */
export const PublicAddress = Context.Reference<string>("@tapeline/core/charts/PublicAddress", {
  defaultValue: () => ""
})

/** Where charts are answered: their ids stand after it. */
export const chartsPath = "/v1/charts"
