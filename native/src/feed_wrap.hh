// SPDX-License-Identifier: Apache-2.0
// Node-API faces of the power feed's publisher and reader: check arguments, convert results.
#ifndef WATTFEED_FEED_WRAP_HH_
#define WATTFEED_FEED_WRAP_HH_

#include <napi.h>

#include <memory>

#include "feed_publisher.hh"
#include "feed_reader.hh"
#include "hint_map.hh"

namespace wattfeed {

class FeedPublisherWrap final : public Napi::ObjectWrap<FeedPublisherWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  // `openFeedPublisher(directory, simulates)`: a result with the publisher, what was adopted and
  // what was replaced.
  static Napi::Value Open(const Napi::CallbackInfo& info);
  // Not for JavaScript: takes the publisher that Open() has just left in the addon's state.
  explicit FeedPublisherWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Publish(const Napi::CallbackInfo& info);
  Napi::Value Withdraw(const Napi::CallbackInfo& info);
  Napi::Value SetTask(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  std::unique_ptr<FeedPublisher> publisher_;
};

class FeedReaderWrap final : public Napi::ObjectWrap<FeedReaderWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  // `openFeedReader(directory)`: a result with the reader.
  static Napi::Value Open(const Napi::CallbackInfo& info);
  explicit FeedReaderWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Read(const Napi::CallbackInfo& info);
  Napi::Value Tasks(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  std::unique_ptr<FeedReader> reader_;
};

class HintMapWrap final : public Napi::ObjectWrap<HintMapWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  // `openHintMap(path)`: a result with the map.
  static Napi::Value Open(const Napi::CallbackInfo& info);
  explicit HintMapWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Set(const Napi::CallbackInfo& info);
  Napi::Value Clear(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  std::unique_ptr<HintMap> map_;
};

}  // namespace wattfeed

#endif  // WATTFEED_FEED_WRAP_HH_
