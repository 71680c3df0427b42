// SPDX-License-Identifier: Apache-2.0
/** Where Prometheus may scrape. Pure. */

export interface ScrapeAddress {
  readonly host: string;
  readonly port: number;
}

/** `[::1]:9464`, `127.0.0.1:9464`, `:9464` (all addresses), `9464` (loopback); undefined: none of these. */
export const parseScrapeAddress = (text: string): ScrapeAddress | undefined => {
  const found = /^(?:(\[[0-9a-fA-F:.]+\]|[\w.-]*):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port < 1 || port > 65_535) return undefined;
  const host = found[1]?.replace(/^\[|\]$/g, '') ?? '127.0.0.1';
  return { host: host === '' ? '::' : host, port };
};
