// SPDX-License-Identifier: Apache-2.0
/** What is wrong, or surprising, with an OTLP endpoint; pure. */

interface Problem {
  readonly cause: string;
  readonly remedy: string;
}

export interface EndpointCheck {
  /** The endpoint without user and password: the only form that may be shown. */
  readonly shown: string;
  readonly warning?: Problem;
  readonly error?: Problem;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

const withoutCredentials = (endpoint: string): string =>
  endpoint.replace(/^((?:[a-z][a-z0-9+.-]*:\/\/)?)[^/?#]*@/i, '$1');

export const endpointProblems = (endpoint: string, isInsecure: boolean): EndpointCheck => {
  const shown = withoutCredentials(endpoint);
  const scheme = SCHEME.exec(endpoint)?.[1]?.toLowerCase();
  if (scheme === undefined) return withoutScheme(endpoint, shown, isInsecure);
  if (scheme === 'unix') return { shown, ...unixProblems(isInsecure) };
  if (scheme !== 'http' && scheme !== 'https') {
    return {
      shown,
      error: {
        cause: `unknown scheme ${scheme}`,
        remedy: 'use http://HOST:PORT, https://HOST:PORT or unix:///PATH',
      },
    };
  }
  return { shown, ...hostProblems(endpoint) };
};

/** Over HTTP the path counts: the exporter puts `/v1/metrics` behind the general variable's. */
export const httpEndpointProblems = (endpoint: string): EndpointCheck => {
  const shown = withoutCredentials(endpoint);
  const scheme = SCHEME.exec(endpoint)?.[1]?.toLowerCase();
  const isHttp = scheme === 'http' || scheme === 'https';
  return isHttp && URL.canParse(endpoint)
    ? { shown }
    : {
        shown,
        error: {
          cause: 'no HTTP URL',
          remedy: 'use http://HOST:PORT or https://HOST:PORT with http/protobuf',
        },
      };
};

const withoutScheme = (endpoint: string, shown: string, isInsecure: boolean): EndpointCheck => {
  const problems = hostProblems(`https://${endpoint}`);
  if (problems.error !== undefined || isInsecure) return { shown, ...problems };
  return {
    shown,
    warning: {
      cause: 'an endpoint without a scheme is reached over TLS',
      remedy: `write http://${shown} for a plain connection`,
    },
  };
};

const unixProblems = (isInsecure: boolean): { warning?: Problem } =>
  isInsecure
    ? {}
    : {
        warning: {
          cause: 'a unix socket is reached over TLS unless told otherwise',
          remedy: 'set OTEL_EXPORTER_OTLP_METRICS_INSECURE=true for a plain connection',
        },
      };

const hostProblems = (url: string): { warning?: Problem; error?: Problem } => {
  if (!URL.canParse(url)) {
    return { error: { cause: 'not a URL', remedy: 'write http://HOST:PORT' } };
  }
  const { pathname } = new URL(url);
  if (pathname === '' || pathname === '/') return {};
  return {
    warning: {
      cause: `the path ${pathname} means nothing to gRPC`,
      remedy: 'it is ignored; leave it out',
    },
  };
};
