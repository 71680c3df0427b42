// SPDX-License-Identifier: Apache-2.0
import { describeHonestCorpus } from '../support/kernel/honest-corpus.js';

describeHonestCorpus(2);
